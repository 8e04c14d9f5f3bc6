import type { AppError } from '../../kernel/errors/app-error.ts'
import { type Credentials, openLogin, type SealedLogin, withCandidate } from '../../kernel/secrets/login.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import { type FetchingKernel, fetchSecret, isOutside, type MaybeOutside } from '../assets/secret-sources/index.ts'

/** Login secrets as an account has them: sealed here, or the place outside where they are. */
export type HeldLogin = SealedLogin & MaybeOutside

interface Holding {
  /** Organization of the account: its sources are the only ones. */
  orgId: string
  protocol: string | undefined
  candidate: SealedLogin | undefined
}

/**
 * The secrets of a login, opened or fetched; those of clusters are their token as well. Secrets that
 * are kept outside change there: no candidate goes with them. Throws as `fetchSecret`.
 */
export async function loginOf(
  kernel: FetchingKernel,
  held: HeldLogin,
  { orgId, protocol, candidate }: Holding,
  open: Opener,
): Promise<Omit<Credentials, 'username'>> {
  if (!isOutside(held)) return withCandidate(openLogin(held, open), candidate && openLogin(candidate, open))
  const { password, privateKey } = await fetchSecret(kernel, held, orgId, open)
  const login = protocol === 'k8s' ? { password: '', privateKey: '', token: password } : { password, privateKey }
  return { ...login, isKeptOutside: true }
}

/** Whether something was refused because the secret is kept outside. */
export const isKeptOutside = (error: AppError): boolean => error.code === 'secret_kept_outside'
