/** The server's half of how a client of Oracle proves a password (O5LOGON with the verifier of 12c). */
import { createCipheriv, createDecipheriv, createHash, pbkdf2Sync, randomBytes } from 'node:crypto'
import type { Pair } from './ttc-fixture.ts'

/** Type of the verifier. */
const VERIFIER_12C = 0x4815
/** As a server says by default. */
const ROUNDS = { verifier: 4096, key: 3 }
const SALT_BYTES = 16
const NO_IV = Buffer.alloc(16)

const hex = (bytes: Buffer) => bytes.toString('hex').toUpperCase()

function encrypted(key: Buffer, text: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, NO_IV).setAutoPadding(false)
  return Buffer.concat([cipher.update(text), cipher.final()])
}

function decrypted(key: Buffer, text: Buffer, isPadded = false): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, NO_IV).setAutoPadding(isPadded)
  return Buffer.concat([decipher.update(text), decipher.final()])
}

export interface Logon {
  /** The question to the client. */
  question: Pair[]
  /** Whether it knows the password; what it is answered then. */
  proven(answer: ReadonlyMap<string, string>): { pairs: Pair[]; opened(value: string | undefined): string } | undefined
}

export function beginLogon(password: string): Logon {
  const salt = randomBytes(SALT_BYTES)
  const mixing = randomBytes(SALT_BYTES)
  const ours = randomBytes(32)
  const stretched = pbkdf2Sync(
    password,
    Buffer.concat([salt, Buffer.from('AUTH_PBKDF2_SPEEDY_KEY')]),
    ROUNDS.verifier,
    64,
    'sha512',
  )
  const verifier = createHash('sha512').update(stretched).update(salt).digest().subarray(0, 32)
  return {
    question: [
      { key: 'AUTH_SESSKEY', value: hex(encrypted(verifier, ours)) },
      { key: 'AUTH_VFR_DATA', value: hex(salt), flag: VERIFIER_12C },
      { key: 'AUTH_PBKDF2_CSK_SALT', value: hex(mixing) },
      { key: 'AUTH_PBKDF2_VGEN_COUNT', value: String(ROUNDS.verifier) },
      { key: 'AUTH_PBKDF2_SDER_COUNT', value: String(ROUNDS.key) },
    ],
    proven(answer) {
      const theirs = decrypted(verifier, Buffer.from(answer.get('AUTH_SESSKEY') ?? '', 'hex'))
      const key = pbkdf2Sync(hex(Buffer.concat([theirs, ours])), mixing, ROUNDS.key, 32, 'sha512')
      /** Random bytes are before the sealed value. */
      const opened = (value = '') => {
        try {
          return decrypted(key, Buffer.from(value, 'hex'), true).subarray(SALT_BYTES).toString()
        } catch {
          // Another key was meant: what comes out has no padding.
          return ''
        }
      }
      if (opened(answer.get('AUTH_PASSWORD')) !== password) return undefined
      const response = encrypted(key, Buffer.concat([randomBytes(SALT_BYTES), Buffer.from('SERVER_TO_CLIENT')]))
      return { opened, pairs: [{ key: 'AUTH_SVR_RESPONSE', value: hex(response) }] }
    },
  }
}
