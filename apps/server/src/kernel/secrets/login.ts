import type { Opener } from './vault.ts'

/** The credentials of a login; empty text where there is none. Kept in memory only. */
export interface Credentials {
  username: string
  password: string
  privateKey: string
  /** For system users of clusters. */
  token?: string
  /**
   * The secrets with which they are being replaced on the target, where the old ones may have ceased
   * to work already.
   */
  candidate?: Pick<Credentials, 'password' | 'privateKey'>
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
