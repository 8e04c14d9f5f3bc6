import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type ServiceState, serviceStates } from '../../users/service-people/index.ts'

/** Begins every key of a service identity, so that scanners for leaked secrets know it. */
export const SERVICE_KEY_PREFIX = 'sallyport-key-'
/** Likewise every short token of a workload. */
export const WORKLOAD_TOKEN_PREFIX = 'sallyport-workload-'

const WORDS: Record<Exclude<ServiceState, 'active'>, string> = {
  disabled: 'This service identity is disabled',
  expired: 'This service identity has expired',
  owner_gone: 'This service identity has stopped, as its owner was deleted',
  owner_disabled: 'This service identity has stopped, as its owner is disabled',
  owner_expired: 'This service identity has stopped, as the account of its owner has expired',
}

/** Why a right key is refused; only its holder is given the reason. */
export async function stoppedIdentity({ db }: Pick<Kernel, 'db'>, id: string | null): Promise<AppError> {
  const state = (await serviceStates(db, id ? [id] : [])).get(id ?? '')
  const words = state && state !== 'active' ? WORDS[state] : 'The token is not valid or has expired.'
  return new AppError(401, 'not_authenticated', words)
}
