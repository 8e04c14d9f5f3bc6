import { CLUSTER_ANSWERS } from '@sallyport/contract/socket/cluster.ts'
import { useState } from 'react'
import { Status } from '../../design/Status.tsx'
import { formatDate, formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import type { Ask } from '../pane/questions.ts'
import { Answered, useAnswer } from './Answered.tsx'
import type { ObjectPlace } from './objects.ts'

/** Events of an object, the newest first; asked for when it is looked at. */
export function EventList({ ask, place }: { ask: Ask; place: ObjectPlace }) {
  const [count, setCount] = useState(0)
  const shown = useAnswer(ask, { about: 'events', ...place }, CLUSTER_ANSWERS.events, count)
  const { events = [], isCut = false } = shown.answer ?? {}
  return (
    <Answered of={shown} onRetry={() => setCount(count + 1)}>
      {events.length === 0 && <p className="kb-hint">{t('No recent events')}</p>}
      <ol className="kb-events">
        {events.map((event, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are read all at once, and never move
          <li key={at}>
            <p>
              <Status tone={event.type === 'Warning' ? 'warning' : 'quiet'}>{event.reason}</Status>
              <span className="tool-pane-count" title={formatDate(event.at)}>
                {[
                  formatRelative(event.at),
                  event.count > 1 && t('{{count|time|times}}', { count: event.count }),
                  event.from,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </p>
            <p>{event.message}</p>
          </li>
        ))}
      </ol>
      {isCut && <p className="kb-hint">{t('There is more than is shown here.')}</p>}
    </Answered>
  )
}
