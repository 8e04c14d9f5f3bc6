import type { FastifyRequest } from 'fastify'

/** What somebody signed in with; kept as long as their connection lives. */
export interface SignIn {
  /** `connection`: of an SSH client or a connection token, known by the id of its row. */
  source:
    | 'session'
    | 'bearer'
    | 'private_token'
    | 'access_key'
    | 'service_key'
    | 'workload_token'
    | 'agent_grant'
    | 'connection'
  /** The hash of a token or key, or of the part of a token that stays when it is renewed; for sessions and connections, the id. */
  key: Buffer | string
}

/** How connections that must not outlive a sign-in (sockets, sessions) learn of its end. */
export interface SignIns {
  /** The sign-in behind a request that the access guard let in. */
  behind(request: FastifyRequest): SignIn | undefined
  /**
   * Those that are over: signed out, withdrawn, expired, or the person was disabled. One query for
   * each kind of sign-in, whatever their number.
   */
  lapsed<T extends SignIn>(signIns: readonly T[]): Promise<T[]>
}
