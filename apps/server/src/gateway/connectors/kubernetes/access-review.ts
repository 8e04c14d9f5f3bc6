import { SessionRefusal } from '../../session/refusal.ts'
import type { Cluster } from './cluster.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
/** Limit of one question, in milliseconds (docs/rules/web-terminal.md#my_application_tree). */
const ASK_MS = 5_000

/** Attributes of an action that an account may be allowed. */
export interface Attributes {
  verb: string
  resource: string
  subresource?: string
  namespace?: string
}

/**
 * Asks a cluster whether the account may do something, which tells as well whether it knows the
 * account. A cluster that does not answer such questions is taken to permit. Throws SessionRefusal
 * and SshError.
 */
export async function mayAccount(
  cluster: Cluster,
  resourceAttributes: Attributes,
  signal: AbortSignal,
): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  }
  const within = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)])
  try {
    const answer = (await cluster.ask(REVIEWS, { method: 'POST', body, signal: within })) as {
      status?: { allowed?: boolean }
    }
    return answer.status?.allowed !== false
  } catch (error) {
    if (error instanceof SessionRefusal && [403, 404, 405].includes(Number(error.values.status))) return true
    throw error
  }
}
