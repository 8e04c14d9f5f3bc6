import type { Kernel } from '../../kernel/kernel.ts'
import { noteBuiltinAlive, registerBuiltinTerminal } from './builtin-terminal.ts'

/** docs/rules/terminal.md#terminal. */
const BEAT_MS = 30_000

/**
 * Lists the parts of this node that carry no sessions among the components: what answers calls, and what
 * does background work. Answers how to end that.
 */
export async function listOwnComponents(kernel: Kernel): Promise<() => void> {
  const { app, config, nodes } = kernel
  const parts = [
    ...(config.roles.includes('api') ? [{ type: 'core', name: `[Core]-${nodes.name}` } as const] : []),
    ...(config.roles.includes('worker') ? [{ type: 'celery', name: `[Celery]-${nodes.name}` } as const] : []),
  ]
  const ids = await Promise.all(
    parts.map((part) => registerBuiltinTerminal(kernel, { ...part, remoteAddress: config.host })),
  )
  const beat = () => Promise.all(ids.map((id) => noteBuiltinAlive(kernel, id)))
  await beat()
  const timer = setInterval(() => {
    beat().catch((error) => app.log.warn({ err: error }, 'a part of this node could not say that it is alive'))
  }, BEAT_MS)
  timer.unref()
  return () => clearInterval(timer)
}
