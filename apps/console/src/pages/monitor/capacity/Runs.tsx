import type { CapacityReport, CapacityRun, CapacityState } from '@sallyport/contract/resources/monitor/capacity.ts'
import { Status, type Tone } from '../../../design/Status.tsx'
import { When } from '../../../generic/cells/When.tsx'
import { t } from '../../../lib/i18n.ts'
import { MonitorTable } from '../../ops/monitor/MonitorTable.tsx'
import { about } from './units.ts'

const TONES: Readonly<Record<CapacityState, Tone>> = {
  waiting: 'info',
  running: 'info',
  done: 'good',
  canceled: 'quiet',
  gave_way: 'warning',
  failed: 'danger',
}

/** Every measurement, also those that came to nothing, with why. */
export function Runs({ report: { history } }: { report: CapacityReport }) {
  const words: Record<CapacityState, string> = {
    waiting: t('It begins.'),
    running: t('Running@@measurement'),
    done: t('Measured'),
    canceled: t('Stopped'),
    gave_way: t('Gave way to other work'),
    failed: t('Failed'),
  }
  return (
    <section className="panel" aria-label={t('Measurements')}>
      <h2>{t('Measurements')}</h2>
      <MonitorTable
        label={t('Measurements')}
        rows={history}
        keyOf={({ id }) => id}
        none=""
        columns={[
          { title: t('Date'), draw: ({ date_asked }: CapacityRun) => <When value={date_asked} /> },
          { title: t('Node@@server'), draw: ({ node_name }) => node_name },
          {
            title: t('State'),
            draw: ({ state, fault }) => (
              <>
                <Status tone={TONES[state]}>{words[state]}</Status> {fault && <small className="quiet">{fault}</small>}
              </>
            ),
          },
          { title: t('People@@capacity'), isNumber: true, draw: ({ capacity }) => capacity && about(capacity.people) },
          { title: t('Asked for by'), draw: ({ asked_by }) => asked_by },
        ]}
      />
    </section>
  )
}
