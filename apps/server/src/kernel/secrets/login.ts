import type { Opener } from './vault.ts'

/** The credentials of a login; empty text where there is none. Kept in memory only. */
export interface Credentials {
  username: string
  password: string
  privateKey: string
  /** For system users of clusters. */
  token?: string
  /** They were fetched from a store outside of Sallyport, which alone changes them. */
  isKeptOutside?: true
  /**
   * The secrets with which they are being replaced on the target, where the old ones may have ceased
   * to work already.
   */
  candidate?: Pick<Credentials, 'password' | 'privateKey'>
  /** Instead of a secret: a key and a certificate that are made as the connection is. */
  certificate?: LoginCertificate
}

export interface LoginCertificate {
  /** The organization whose authority certifies. */
  orgId: string
  /** For the machine's own log, such as the person and the session. */
  notes: Readonly<Record<string, string>>
  /** Connections may be forwarded over it. */
  forwards?: boolean
}

/** Whether there is something to log in with besides the name. */
export const hasSecret = ({ password, privateKey, certificate }: Credentials): boolean =>
  Boolean(password || privateKey || certificate)

/** The same login; where it is certified, its certificate has these notes as well. */
export function withNotes<T extends Credentials>(login: T, notes: Readonly<Record<string, string | undefined>>): T {
  const { certificate } = login
  if (!certificate) return login
  const added = Object.entries(notes).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return { ...login, certificate: { ...certificate, notes: { ...certificate.notes, ...Object.fromEntries(added) } } }
}

/** Login secrets as a row keeps them. */
export interface SealedLogin {
  password_sealed: Buffer | null
  private_key_sealed: Buffer | null
}

/** The login with a candidate: secrets that the candidate lacks stay. */
export function withCandidate<T extends Pick<Credentials, 'password' | 'privateKey'>>(
  login: T,
  candidate: Pick<Credentials, 'password' | 'privateKey'> | undefined,
): T & Pick<Credentials, 'candidate'> {
  if (!candidate) return login
  const { password, privateKey } = candidate
  return { ...login, candidate: { password: password || login.password, privateKey: privateKey || login.privateKey } }
}

/** Opens the secrets of a login. */
export function openLogin(sealed: SealedLogin, open: Opener): Omit<Credentials, 'username'> {
  return {
    password: sealed.password_sealed ? open(sealed.password_sealed) : '',
    privateKey: sealed.private_key_sealed ? open(sealed.private_key_sealed) : '',
  }
}
