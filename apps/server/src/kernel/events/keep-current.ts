import type { FastifyInstance } from 'fastify'
import { type Events, RECONNECTED } from './events.ts'

/**
 * Loads what this node keeps in memory, and loads it again whenever `news` is told or may have been
 * missed. Answers how to load it at once, for whoever has just changed it. `failure` is what the
 * log says when a later load fails; the first one's error is thrown.
 */
export async function keepCurrent(
  { events, app }: { events: Events; app: FastifyInstance },
  news: string,
  load: () => Promise<void>,
  failure: string,
): Promise<() => Promise<void>> {
  // One after the other: an older answer must not take the place of a newer one.
  let reading = load()
  const reload = () => {
    reading = reading.catch(() => {}).then(load)
    return reading
  }
  await reading
  for (const name of [news, RECONNECTED])
    events.subscribe(name, () => void reload().catch((error) => app.log.error({ err: error }, failure)))
  return reload
}
