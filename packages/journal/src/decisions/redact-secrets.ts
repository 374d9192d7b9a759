/** Takes secrets out of a text of JSON, which stays JSON. */
export type RedactSecrets = (json: string) => string;

/**
 * What is kept out of every record: the values of environment variables whose names say that they hold a secret, and
 * whatever looks like one anywhere: bearer tokens, keys of well-known services, JSON web tokens, private keys,
 * passwords in URLs.
 */
export function secretsRedactor(env: Readonly<Record<string, string | undefined>>): RedactSecrets {
  const known = Object.entries(env)
    .filter(([name, value]) => NAME.test(name) && value !== undefined && isSecret(value))
    // as it stands inside a JSON string, and inside JSON that is one: arguments as the model wrote them
    .flatMap(([, value]) => [inString(value!), inString(inString(value!))])
    .sort((a, b) => b.length - a.length);
  const values = known.length === 0 ? undefined : new RegExp(known.map(escaped).join("|"), "g");
  return (json) => {
    const text = values ? json.replace(values, HIDDEN) : json;
    return text.replace(LOOKS, (_, bearer = "", user = "", at = "") => `${bearer}${user}${HIDDEN}${at}`);
  };
}

const inString = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What stands in place of a secret. */
export const HIDDEN = "[secret]";

const NAME = /(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|PAT)$/i;

/** Long enough to be one, and nothing that stands in ordinary text. */
const isSecret = (value: string): boolean =>
  value.length >= 8 && !/^\d+$/.test(value) && !/^[a-z]+$/i.test(value) && !/^\.{0,2}\//.test(value);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** None of these can match a quote or a backslash that would end a JSON string early. */
const LOOKS = new RegExp(
  [
    String.raw`(\bBearer +)[A-Za-z0-9._~+/=-]{8,}`,
    String.raw`(:\/\/[^\s"\\/:@]{1,64}:)[^\s"\\/@]{3,}(@)`,
    String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
    String.raw`\b(?:ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|npm|hf|AIza|rk_live|sk_live|pk_live)[_-]?[A-Za-z0-9_-]{20,}`,
    String.raw`\bAKIA[A-Z0-9]{16}\b`,
    String.raw`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?-----END [A-Z ]*PRIVATE KEY-----',
  ].join("|"),
  "g",
);
