import type { MoveRun } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import { SquareIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { ask } from '../../design/dialogs/feedback.tsx'
import { Progress } from '../../design/Progress.tsx'
import { t } from '../../lib/i18n.ts'
import styles from './moving.module.css'
import { taskWords } from './run-words.ts'
import { useStop } from './use-move.ts'

/** How far the run is, and how to end it. It goes on when the page is closed. */
export function Underway({ run }: { run: MoveRun }) {
  const { task, source, stage, stages_done, stages, rows, asked_by, node_name } = run
  const stop = useStop()
  const handleStop = async () => {
    const isWanted = await ask({
      title: t('Stop what goes on?'),
      content:
        task === 'import'
          ? t('The parts that have come stay. The import goes on from there when it is run again.')
          : t('Nothing of it is left.'),
      okText: t('Stop'),
    })
    if (isWanted) stop.mutate()
  }
  return (
    <section className={`panel ${styles.underway}`} aria-label={t('Progress')} role="status">
      <div>
        <strong>{taskWords(task)}</strong> <bdi>{source}</bdi>{' '}
        <small className="quiet">
          {stage
            ? t('Part {{part}} of {{all}}: {{name}}. {{rows}} rows read.', {
                ...{ part: Math.min(stages_done + 1, stages), all: stages, name: stage, rows },
              })
            : t('It begins.')}{' '}
          {t('On {{node}}, asked for by {{person}}.', { node: node_name, person: asked_by })}
        </small>
      </div>
      <Progress percent={stages ? (stages_done / stages) * 100 : undefined} aria-label={t('Progress')} />
      <Button icon={<SquareIcon />} loading={stop.isPending} onClick={() => void handleStop()}>
        {t('Stop')}
      </Button>
    </section>
  )
}
