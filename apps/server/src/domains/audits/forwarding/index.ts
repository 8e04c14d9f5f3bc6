import { noteBackgroundFault } from '../../../kernel/background.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { forwardBatch, noteEvents } from './forwarder.ts'
import { registerForwardingState } from './state.ts'
import { type Target, targetsOf } from './targets.ts'

const EVERY_MS = 2_000
/** A system that is away is tried ever less often, but not less than this. */
const SLOWEST_MS = 5 * 60_000

/**
 * Tells other systems what happens (docs/rules/audits.md#syslog, and webhooks): noted in the
 * database by the statements that store it, delivered by one node that does background work. Throws
 * StartRefusal for wrong settings.
 */
export async function registerForwarding(kernel: Kernel): Promise<void> {
  const targets = targetsOf(kernel)
  registerForwardingState(kernel)
  await noteEvents(
    kernel.db,
    targets.map(({ name }) => name),
  )
  for (const target of targets) if (kernel.config.roles.includes('worker')) keepTelling(kernel, target)
}

/** How long to wait after so many failures in a row. */
export const pauseAfter = (failures: number) => Math.min(EVERY_MS * 2 ** failures, SLOWEST_MS)

function keepTelling(kernel: Kernel, target: Target): void {
  let running: Promise<void> = Promise.resolve()
  let isClosed = false
  let failures = 0
  const round = async () => {
    while (!isClosed) {
      const outcome = await forwardBatch(kernel, target)
      failures = outcome === 'failed' ? failures + 1 : 0
      if (outcome !== 'more') return
    }
  }
  let timer: NodeJS.Timeout | undefined
  const again = () => {
    if (isClosed) return
    timer = setTimeout(() => {
      running = round()
        .catch((error) => kernel.app.log.error({ err: error }, 'audit events could not be forwarded'))
        .then(again)
        .catch(noteBackgroundFault)
    }, pauseAfter(failures)).unref()
  }
  again()
  kernel.app.addHook('onClose', async () => {
    isClosed = true
    clearTimeout(timer)
    await running
  })
}
