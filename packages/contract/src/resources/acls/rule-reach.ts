/** Some of those that a rule meets: how many there are, and the first few by name. */
interface Met {
  count: number
  names: string[]
}

/** The answer of `login-asset-acls/reach/`. */
export interface RuleReach {
  users: Met
  /** Machines and applications. */
  assets: Met
  system_users: Met
}
