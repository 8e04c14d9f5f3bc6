import type { FastifyInstance } from 'fastify'
import { awaitedLater } from '../background.ts'
import { type Events, RECONNECTED } from './events.ts'

/**
 * Keeps something in this node's memory current: loads it now, and again at every event `event` and
 * whenever one may have been missed. Returns a function that loads it at once, for a caller that
 * has just changed it. `failure` is logged when a later load fails; the error of the first one is
 * thrown.
 */
export async function keepCurrent(
  { events, app }: { events: Events; app: FastifyInstance },
  news: string,
  load: () => Promise<void>,
  failure: string,
): Promise<() => Promise<void>> {
  // One after the other: an older answer must not take the place of a newer one.
  let reading = awaitedLater(load())
  const reload = () => {
    reading = awaitedLater(reading.catch(() => {}).then(load))
    return reading
  }
  await reading
  for (const name of [news, RECONNECTED])
    events.subscribe(name, () => void reload().catch((error) => app.log.error({ err: error }, failure)))
  return reload
}
