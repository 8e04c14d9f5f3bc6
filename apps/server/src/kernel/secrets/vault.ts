import type { Call } from '../access/call.ts'
import type { Database } from '../database/database.ts'
import type { KeyRing } from './key-ring.ts'
import { recordLooks, type SecretOwner } from './looks.ts'
import { createSecrets } from './secrets.ts'

/**
 * What Sallyport itself does with plain secrets, in memory only. The list is closed, and
 * vault.test.ts says which files open what for.
 */
export type Use =
  /** connects a person to a target */
  | 'session'
  /** checks that a login works */
  | 'test'
  /** background work on targets */
  | 'job'
  /** finds out who signs in, by password, key, code, token or provider */
  | 'sign_in'
  /** sends a mail or message */
  | 'message'
  /** reads the settings in force */
  | 'setting'
  /** stores the rows of an import */
  | 'import'
  /** compares a log with the end of its chain */
  | 'audit'
  /** keeps recordings, and reads them */
  | 'storage'
  /** certifies the key of a login on a machine */
  | 'certificate'
  /** proves to clients which installation this is */
  | 'host_key'
  /** puts a backup back, or tries whether it could be */
  | 'backup'

/** How plain secrets leave Sallyport; a row says each time who got what and why. */
export type HandOut =
  /** a registered component connects with it */
  | 'component'
  /** a person reads it, having just proven the second factor */
  | 'reveal'
  /** the same, as a file */
  | 'export'
  /** a run that a person began gives it to a program on a machine */
  | 'run'

/**
 * Opens sealed values; throws when one is under a key that this process does not hold or has been
 * tampered with.
 */
export interface Opener {
  (sealed: Buffer): string
  /**
   * What becomes of secrets that are kept outside of Sallyport: fetched for a use of its own, or
   * taken for granted where none is opened at all. Undefined: they stay where they are.
   */
  readonly outside?: 'fetched' | 'assumed'
}

/** The only way to secrets: all code may seal; code that opens one states the purpose. */
export interface Vault {
  /** AES-256-GCM; the result carries the id of its key and differs at every call. */
  seal(plain: string): Buffer
  /**
   * @param reason which session, task or person, by id or name: for the log when a value cannot be opened; never a secret
   */
  open(use: Use, reason: string): Opener
  /**
   * Opens secrets that leave Sallyport, once the rows about it are written.
   * @param db writes the rows: in the transaction that finds the secrets, so that there is no row about what was not found
   * @param reason as for `open`, kept in the rows
   */
  handOut(db: Database, call: Call, how: HandOut, reason: string, owners: readonly SecretOwner[]): Promise<Opener>
  /**
   * HMAC-SHA256 under a separate key, for storing short codes, which a plain hash would give away.
   * Stable until the key is rotated.
   */
  fingerprint(plain: string): Buffer
  /**
   * What `fingerprint` answers now and answered before rotations, to compare with what is stored.
   */
  fingerprints(plain: string): Buffer[]
}

export function createVault(ring: KeyRing): Vault {
  const { seal, open, fingerprint, fingerprints } = createSecrets(ring)
  const opener =
    (purpose: Use | HandOut, reason: string): Opener =>
    (sealed) => {
      try {
        return open(sealed)
      } catch (cause) {
        throw new Error(`a secret cannot be opened (${purpose}: ${reason})`, { cause })
      }
    }
  return {
    seal,
    fingerprint,
    fingerprints,
    open: (use, reason) => Object.assign(opener(use, reason), { outside: 'fetched' } as const),
    async handOut(db, call, how, reason, owners) {
      await recordLooks(db, call, how, reason, owners)
      return opener(how, reason)
    },
  }
}
