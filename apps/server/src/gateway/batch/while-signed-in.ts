import type { StoredExecution } from '../../domains/ops/command-executions/index.ts'
import type { SignIn } from '../../kernel/access/sign-in.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SessionRefusal } from '../session/refusal.ts'

/** A key may be withdrawn or expire at any time, and a run may wait for people for an hour. */
const LOOK_MS = 3000

/**
 * Aborted once the sign-in is over by which an agent began a run. A person's run goes on without theirs:
 * they have signed out, and are the same person.
 */
export async function whileSignedIn(
  kernel: Kernel,
  execution: StoredExecution,
): Promise<{ signal: AbortSignal; stop: () => void }> {
  const ended = new AbortController()
  const signIn = signInOfRun(execution)
  if (!signIn) return { signal: ended.signal, stop: () => {} }
  const look = async () => {
    if ((await kernel.signIns.lapsed([signIn])).length) ended.abort(new SessionRefusal(OVER))
  }
  await look()
  const timer = setInterval(() => {
    look().catch((err) => kernel.app.log.warn({ err }, 'the sign-in of an agent could not be looked at'))
  }, LOOK_MS)
  timer.unref()
  return { signal: ended.signal, stop: () => clearInterval(timer) }
}

function signInOfRun({ sign_in_source, sign_in_key }: StoredExecution): SignIn | undefined {
  if (!sign_in_source || !sign_in_key) return undefined
  const source = sign_in_source as SignIn['source']
  const isId = source === 'access_key' || source === 'connection'
  return { source, key: isId ? sign_in_key : Buffer.from(sign_in_key, 'hex') }
}

const OVER = 'The key or sign-in of the agent that began this is over'
