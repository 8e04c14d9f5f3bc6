import { derivedId } from '../derived-id.ts'

/** A system user that is made of accounts with one name: theirs have none since version 3. */
export interface Login {
  /** Id of the system user. */
  id: string
  org: string
  protocol: string
  username: string
  /** Token of a cluster, which each has its own. */
  token: string | null
}

/** The logins of all targets: which system users have an account where. */
export class Logins {
  readonly all = new Map<string, Login>()
  readonly #ofTarget = new Map<string, Set<string>>()
  readonly #protocols = new Map<string, readonly string[]>()

  /** Notes the protocols of a target, also of one without accounts. */
  addTarget(target: string, protocols: readonly string[]): void {
    this.#protocols.set(target, protocols)
  }

  protocolsOf(target: string): readonly string[] {
    return this.#protocols.get(target) ?? []
  }

  /** The system user of an account on a target, for one of its protocols. */
  add(target: string, { org, protocol, username, token }: Omit<Login, 'id'>): Login {
    const id = derivedId('system user', org, protocol, username, token === null ? '' : target)
    const login = this.all.get(id) ?? { id, org, protocol, username, token }
    this.all.set(id, login)
    this.#ofTarget.set(target, (this.#ofTarget.get(target) ?? new Set()).add(id))
    return login
  }

  on(target: string): Login[] {
    return [...(this.#ofTarget.get(target) ?? [])].flatMap((id) => this.all.get(id) ?? [])
  }
}
