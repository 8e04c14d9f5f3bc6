import { noteBackgroundFault } from '../../kernel/background.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { judgeNow } from './alarms.ts'
import { reportCertificate } from './certificate.ts'
import { isRollUpDue, rollUp } from './history.ts'
import { takeSample } from './sample.ts'
import { checkStorages, isCheckDue } from './storages.ts'
import { type OwnFigures, openThisNode, type ThisNode } from './this-node.ts'

const MINUTE_MS = 60_000
/** Into the minute, so that clocks that differ by a little agree on which it is. */
const PAST_MS = 2_000

/**
 * One minute of a node: what it has measured is stored; the node that is first in the minute also
 * measures the installation, judges it, and keeps the history short.
 * @param at for tests: another time than now
 */
export async function monitorMinute(kernel: Kernel, own: OwnFigures, at?: Date): Promise<void> {
  const sample = await takeSample(kernel, own, at)
  if (!sample?.shared) return
  if (isCheckDue(sample.at, sample.shared.storages_away ?? 0)) await checkStorages(kernel, sample.at)
  await judgeNow(kernel, sample.at)
  if (isRollUpDue(sample.at)) await rollUp(kernel.db, sample.at)
}

/** Does so every minute from when the server listens until it closes. */
export function keepMonitoring(kernel: Kernel): void {
  const { app } = kernel
  let node: ThisNode | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isClosed = false
  const again = (measuring: ThisNode) => {
    if (isClosed) return
    const left = MINUTE_MS - ((Date.now() - PAST_MS) % MINUTE_MS)
    timer = setTimeout(() => {
      running = measuring
        .measure()
        .then((own) => monitorMinute(kernel, own))
        .then(() => reportCertificate(kernel))
        .catch((error) => app.log.error({ err: error }, 'the system monitor'))
        .then(() => again(measuring))
        .catch(noteBackgroundFault)
    }, left).unref()
  }
  app.addHook('onListen', async () => {
    node = openThisNode(kernel)
    again(node)
  })
  app.addHook('onClose', async () => {
    isClosed = true
    clearTimeout(timer)
    node?.close()
    await running
  })
}
