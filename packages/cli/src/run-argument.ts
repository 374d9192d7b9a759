/** How commands say which run is meant. */
export const RUN_ARGUMENT = "its id, how that begins, or latest";
