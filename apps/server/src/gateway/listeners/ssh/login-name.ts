/** Parts of a client's user name. */
export interface LoginName {
  username: string
  /**
   * Connects straight to a machine, without the menu: an asset by address, host name or id, and a
   * system user by user name, name or id.
   */
  direct?: { systemUser: string; asset: string }
}

/**
 * Reads `user` or `user@systemuser@asset`, with # between the parts where a name contains an @
 * (docs/rules/gateway.md#login_name).
 */
export function readLoginName(name: string): LoginName {
  for (const separator of ['@', '#']) {
    const [username, systemUser, asset, ...more] = name.split(separator)
    if (username && systemUser && asset && !more.length) return { username, direct: { systemUser, asset } }
  }
  return { username: name }
}
