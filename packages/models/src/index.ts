export { Conversation, messagesAt } from "./conversation.ts";
