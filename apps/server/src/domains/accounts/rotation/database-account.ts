import type { Kernel } from '../../../kernel/kernel.ts'
import { Provided } from '../../../kernel/provided.ts'
import type { ApplicationTarget } from '../../applications/index.ts'
import type { Secrets, Target } from './protocol.ts'
import { RotationError } from './rotation-error.ts'

/** What can be wrong with a database or a login to it; the message is the server's own, or one for people. */
export class DatabaseError extends Error {
  readonly kind: 'login' | 'unreachable' | 'unsupported' | 'refused' | 'lost'

  /**
   * @param kind `login`: the password is wrong; `refused`: the server says for certain that it did
   *   nothing; `lost`: nobody knows whether it did
   */
  constructor(kind: DatabaseError['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DatabaseError'
    this.kind = kind
  }
}

/** An account that is logged in to its database. To be closed. */
export interface DatabaseLogin {
  /** Whether the server wanted to know the password: else a login proves nothing. */
  isPasswordAsked: boolean
  /** Throws DatabaseError where the password can't be changed from here. */
  check(): Promise<void>
  /** Changes the account's own password. Throws DatabaseError. */
  setPassword(password: string): Promise<void>
  close(): void
}

/** Logs in to a database of a target, with these credentials instead of the target's. Throws DatabaseError. */
export type LogInToDatabase = (
  kernel: Kernel,
  target: ApplicationTarget,
  login: { username: string; password: string },
) => Promise<DatabaseLogin>

/** Provided by the gateway, which alone speaks the protocols of databases. */
export const databaseLogins = new Provided<LogInToDatabase>('logins to databases', async () => {
  throw new DatabaseError('unsupported', '')
})

/** The account of a database. */
export interface DatabaseAccountParts {
  target: ApplicationTarget
  username: string
  /** The secrets with which the account may log in now: the stored one first. */
  logins(): Promise<(Secrets | undefined)[]>
}

/**
 * An account of a database, which changes its own password. To be closed. What it is changed to goes
 * over as a hash where the server takes one, so that neither its log nor its binary log has it.
 */
export class DatabaseAccount implements Target {
  readonly #kernel: Kernel
  readonly #of: DatabaseAccountParts
  #login: DatabaseLogin | undefined

  constructor(kernel: Kernel, parts: DatabaseAccountParts) {
    this.#kernel = kernel
    this.#of = parts
  }

  async preflight(): Promise<void> {
    const login = await this.#logIn()
    await login.check().catch((error) => {
      // Nothing was sent yet that could be on its way.
      throw inWords(error instanceof DatabaseError && error.kind === 'lost' ? unreachable(error) : error)
    })
  }

  async change({ password = '' }: Secrets): Promise<void> {
    const login = await this.#logIn()
    try {
      await login.setPassword(password)
    } catch (error) {
      throw inWords(error)
    } finally {
      // The next login is one of its own.
      this.close()
    }
  }

  async works({ password = '' }: Secrets): Promise<boolean> {
    if (!password) return false
    try {
      const login = await this.#open(password)
      login.close()
      return true
    } catch (error) {
      if (error instanceof RotationError && error.code === 'login_refused') return false
      throw error
    }
  }

  close(): void {
    this.#login?.close()
    this.#login = undefined
  }

  /** A candidate of an earlier run may be what the account has by now. */
  async #logIn(): Promise<DatabaseLogin> {
    if (this.#login) return this.#login
    const passwords = (await this.#of.logins()).flatMap((secrets) => secrets?.password ?? [])
    let failure: unknown = new RotationError('no_password')
    for (const password of new Set(passwords)) {
      try {
        this.#login = await this.#open(password)
        return this.#login
      } catch (error) {
        failure = error
        if (!(error instanceof RotationError && error.code === 'login_refused')) break
      }
    }
    throw failure
  }

  async #open(password: string): Promise<DatabaseLogin> {
    const { target, username } = this.#of
    const login = await databaseLogins.value(this.#kernel, target, { username, password }).catch((error) => {
      throw inWords(error)
    })
    if (login.isPasswordAsked) return login
    login.close()
    throw new RotationError('not_asked')
  }
}

const REASONS = {
  login: 'login_refused',
  unreachable: 'unreachable',
  unsupported: 'unsupported',
  refused: 'refused',
  lost: 'data_not_sent',
} as const

const unreachable = ({ message, cause }: DatabaseError) => new DatabaseError('unreachable', message, cause)

function inWords(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  return new RotationError(REASONS[error.kind], error.message.split('\n')[0]?.slice(0, 200), error)
}
