import type { MoveReport } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { DownloadIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { Status } from '../../design/Status.tsx'
import { When } from '../../generic/cells/When.tsx'
import { t } from '../../lib/i18n.ts'
import { MonitorTable } from '../ops/monitor/MonitorTable.tsx'
import { stateWords, TONES, taskWords } from './run-words.ts'
import { saveRunFile } from './use-move.ts'

/** The newest runs, with their reports. */
export function Runs({ report: { runs } }: { report: MoveReport }) {
  return (
    <section className="panel" aria-label={t('Runs@@moves')}>
      <h2>{t('Runs@@moves')}</h2>
      <MonitorTable
        label={t('Runs@@moves')}
        rows={runs}
        keyOf={({ id }) => id}
        none=""
        columns={[
          { title: t('Date'), draw: ({ date_started }) => <When value={date_started} /> },
          { title: t('Task'), draw: ({ task }) => taskWords(task) },
          { title: t('Source'), draw: ({ source }) => <bdi>{source}</bdi> },
          {
            title: t('State'),
            draw: ({ state, fault }) => (
              <>
                <Status tone={TONES[state]}>{stateWords(state)}</Status>{' '}
                {fault && <small className="quiet">{fault}</small>}
              </>
            ),
          },
          { title: t('Asked for by'), draw: ({ asked_by }) => asked_by },
          {
            title: t('Report'),
            draw: (run) =>
              run.has_report && (
                <Button
                  size="small"
                  icon={<DownloadIcon />}
                  aria-label={`${t('Download')}: ${run.date_started}`}
                  onClick={() => void saveRunFile(run, 'report')}
                >
                  {t('Download')}
                </Button>
              ),
          },
        ]}
      />
    </section>
  )
}
