/** The ways in which a password may be hashed: our own and, from an import, those of Django. */
export type HashWay =
  | { algorithm: 'pbkdf2'; digest: 'sha256' | 'sha1' | 'sm3'; iterations: number; salt: string; sum: string }
  | { algorithm: 'argon2' | 'bcrypt-of-sha256'; text: string }

/** A hash that can be compared with a password. */
export interface StoredHash {
  /**
   * The way and its parameters, as the text begins: all that decides how long a comparison takes.
   */
  kind: string
  way: HashWay
}

/*
 * Bounds of the work that a hash may ask for, since its parameters may come from a file of somebody
 * else: each is at most about a second. Django 5.2 has 1,000,000 iterations and its argon2 100 MiB.
 */
const MOST_ITERATIONS = 2_000_000
const MOST_KIBIBYTES = 262_144
const MOST_PASSES = 8
const MOST_LANES = 16
const HIGHEST_BCRYPT_COST = 14

const SUM_BYTES = { sha256: 32, sha1: 20, sm3: 32 } as const

/** Salts of Django are ASCII without `$`; they are used as the text that they are. */
const PBKDF2 = /^(pbkdf2_(sha256|sha1|sm3)\$(\d{1,7})\$)([\x21-\x23\x25-\x7e]{1,64})\$([A-Za-z0-9+/]{27,43}=)$/
const ARGON2 =
  /^(?:argon2)?(\$argon2id?\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$)[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,86}$/
const BCRYPT = /^(bcrypt_sha256\$)(\$2[aby]\$(\d\d)\$)[./A-Za-z0-9]{53}$/

/**
 * Takes a stored text as a hash. Undefined for a text that no password can match: an unusable one
 * of Django (`!…`), a way that is not known, or one whose work is out of bounds.
 */
export function storedHash(text: string): StoredHash | undefined {
  return pbkdf2(text) ?? argon2(text) ?? bcrypt(text)
}

function pbkdf2(text: string): StoredHash | undefined {
  const [, kind, digest, count, salt, sum] = PBKDF2.exec(text) ?? []
  if (!kind || !salt || !sum || !isDigest(digest)) return undefined
  const iterations = Number(count)
  if (iterations < 1 || iterations > MOST_ITERATIONS) return undefined
  // A sum of another length would be compared with one of another cost.
  if (Buffer.from(sum, 'base64').length !== SUM_BYTES[digest]) return undefined
  return { kind, way: { algorithm: 'pbkdf2', digest, iterations, salt, sum } }
}

const isDigest = (name: string | undefined): name is keyof typeof SUM_BYTES => name !== undefined && name in SUM_BYTES

function argon2(text: string): StoredHash | undefined {
  const [, kind, ...costs] = ARGON2.exec(text) ?? []
  const [memory = 0, passes = 0, lanes = 0] = costs.map(Number)
  if (!kind || passes < 1 || lanes < 1 || memory < 8 * lanes) return undefined
  if (memory > MOST_KIBIBYTES || passes > MOST_PASSES || lanes > MOST_LANES) return undefined
  return { kind, way: { algorithm: 'argon2', text: text.slice(text.indexOf('$')) } }
}

function bcrypt(text: string): StoredHash | undefined {
  const [, django, bcryptKind, cost] = BCRYPT.exec(text) ?? []
  if (!django || !bcryptKind || Number(cost) < 4 || Number(cost) > HIGHEST_BCRYPT_COST) return undefined
  return { kind: django + bcryptKind, way: { algorithm: 'bcrypt-of-sha256', text: text.slice(django.length) } }
}

/** A hash of that kind which no password has; undefined for a kind out of bounds. */
export function hashOfNobody(kind: string): StoredHash | undefined {
  const digest = /^pbkdf2_(\w+)/.exec(kind)?.[1]
  if (isDigest(digest))
    return storedHash(`${kind}${'n'.repeat(22)}$${Buffer.alloc(SUM_BYTES[digest]).toString('base64')}`)
  if (kind.startsWith('bcrypt')) return storedHash(`${kind}${'.'.repeat(53)}`)
  return storedHash(`${kind}${'A'.repeat(22)}$${'A'.repeat(43)}`)
}

/** The kind of a text in PostgreSQL, as `storedHash` finds it; null for others. */
export const KIND_IN_SQL =
  '(?:pbkdf2_(?:sha256|sha1|sm3)\\$\\d{1,7}\\$|bcrypt_sha256\\$\\$2[aby]\\$\\d\\d\\$|\\$argon2id?\\$v=19\\$m=\\d{1,7},t=\\d{1,3},p=\\d{1,3}\\$)'
