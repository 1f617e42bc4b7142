/** The id of a session, as both CLIs make it. It becomes a part of a file's name and of a command. */
export const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
