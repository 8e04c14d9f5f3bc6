/** Login of a database's client, by its user name. */
export type ClientLogin =
  | { by: 'token'; token: string }
  /** A person, with their own password: an application by name, address or id, and an account there. */
  | { by: 'password'; username: string; application: string; account: string }

const TOKEN = /^[A-Za-z0-9]{36}$/

/** Reads a connection token or `person#application#account`; undefined for anything else. */
export function readClientLogin(name: string): ClientLogin | undefined {
  if (TOKEN.test(name)) return { by: 'token', token: name }
  const [username, application, account, ...more] = name.split('#')
  return username && application && account && !more.length
    ? { by: 'password', username, application, account }
    : undefined
}
