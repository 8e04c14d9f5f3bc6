/** Why a cloud did not answer what it was asked. */
export type CloudFault =
  /** The keys are wrong, or may not read machines. */
  | 'denied'
  /** The call is too old for it, or from the future: the clock of this server is off. */
  | 'clock'
  /** Too many calls: asked again later. */
  | 'busy'
  /** No connection, no answer in time, or one that broke off. */
  | 'unreachable'
  /** What came is not what this cloud answers: a proxy's page, half a document, pages without end. */
  | 'unreadable'
  /** The address leads to this server itself, or to a network that no cloud is in. */
  | 'forbidden'
  /** Anything else that it refuses. */
  | 'refused'

/** `message` holds the cloud's own code, never keys, and nothing else of what was answered. */
export class CloudError extends Error {
  readonly fault: CloudFault
  constructor(fault: CloudFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CloudError'
    this.fault = fault
  }
}

/** Codes of clouds that limit how often they are called. */
const BUSY = /throttl|limitexceeded|toomanyrequests|rate.?limit|serviceunavailable|internalerror|server.?busy/i

/** Codes for a call whose time is not theirs, which are told apart from tokens that have expired. */
const CLOCK = /signature.?expire|request.?expired|time.?stamp|too.?skewed/i

/**
 * The meaning of an answer with that status. `code` comes from the other end: only the part that
 * looks like a code is kept, so that no page of some inner server is shown to the person who
 * entered its address.
 */
export function refusalOf(status: number, code: unknown): CloudError {
  const shown = typeof code === 'string' && /^[\w.:-]{1,100}$/.test(code) ? code : ''
  const words = `${status} ${shown}`.trim()
  if (status === 429 || status >= 500 || BUSY.test(shown)) return new CloudError('busy', words)
  if (CLOCK.test(shown)) return new CloudError('clock', words)
  const isDenied =
    status === 401 ||
    status === 403 ||
    /auth|access|signature|forbidden|denied|credential|unauthori[sz]ed|invalid_client|nopermission/i.test(shown)
  return new CloudError(isDenied ? 'denied' : 'refused', words)
}
