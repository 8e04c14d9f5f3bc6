/** Everybody may read what their account may see of the server there; tools can't do without it. */
const ALWAYS = 'information_schema'

/** The databases of a server that the person of a session may use, as their permission says from time to time. */
export class PermittedDatabases {
  /** Undefined: all. */
  names: readonly string[] | undefined
  /** The one that the session is in; empty where that is not known. */
  current: () => string = () => ''

  covers(name: string): boolean {
    return !this.names || this.names.includes(name) || name.toLowerCase() === ALWAYS
  }

  /** The one that the session is in and may not be in. */
  get forbidden(): string | undefined {
    const current = this.current()
    return current && !this.covers(current) ? current : undefined
  }
}
