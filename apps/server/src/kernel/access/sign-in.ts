import type { FastifyRequest } from 'fastify'

/** What somebody signed in with, kept for as long as their connection lives. */
export interface SignIn {
  /** `connection`: one of an SSH client or a connection token, known by the id of its row. */
  source: 'session' | 'bearer' | 'private_token' | 'access_key' | 'connection'
  /** Of a credential its hash, else its id. */
  key: Buffer | string
}

/** What the authentication domain knows about sign-ins that something else lasts as long as. */
export interface SignIns {
  /** The sign-in behind a request that the access guard let in. */
  behind(request: FastifyRequest): SignIn | undefined
  /**
   * Those that do not hold any more: signed out, withdrawn, run out, or the person was disabled.
   * One query per kind, for any number.
   */
  lapsed<T extends SignIn>(signIns: readonly T[]): Promise<T[]>
}
