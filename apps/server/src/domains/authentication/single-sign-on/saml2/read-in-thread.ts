/**
 * Messages that anybody may post are read in a thread: checking a signature takes a multiple of the
 * time of anything else here, and is done before it is known whose the message is.
 */
import { Threads } from '../../../../kernel/threads.ts'
import { textOfBase64 } from '../../../../kernel/xml/strict-xml.ts'
import { checkXmlBounds } from '../../../../kernel/xml/xml-bounds.ts'
import type { SamlProof } from './response.ts'
import type { SamlSides } from './saml-library.ts'
import type { SignOutRequest } from './sign-out-request.ts'

export interface SamlTask {
  read: 'response' | 'sign-out'
  sides: SamlSides
  encoded: string
}

/**
 * A right message takes a hundredth of a second of a processor, and what there is to load for the first one a second.
 * One source can fill a third of the queue at most.
 */
const LIMITS = { size: 1, maxWaiting: 48, maxWaitingOfOwner: 16, processorMs: 5000, timeoutMs: 30_000, memoryMb: 128 }

/** For people, a provider that does not answer now. */
const tooMany = () => Object.assign(new Error('too many messages are being read'), { name: 'TimeoutError' })

const threads = new Threads<SamlTask>(new URL('./message-thread.ts', import.meta.url), LIMITS, tooMany)

/** See `readResponse`. Sources take turns; throws when too many wait, too. */
export const responseInThread = (sides: SamlSides, encoded: string, source: string): Promise<SamlProof> =>
  read('response', sides, encoded, source) as Promise<SamlProof>

/** See `readPostedSignOut`. Likewise. */
export const signOutInThread = (sides: SamlSides, encoded: string, source: string): Promise<SignOutRequest> =>
  read('sign-out', sides, encoded, source) as Promise<SignOutRequest>

async function read(what: SamlTask['read'], { idp, sp }: SamlSides, encoded: string, source: string): Promise<unknown> {
  // A document that is out of bounds does not even wait.
  checkXmlBounds(textOfBase64(encoded))
  return threads.run({ read: what, sides: { idp, sp }, encoded }, source)
}
