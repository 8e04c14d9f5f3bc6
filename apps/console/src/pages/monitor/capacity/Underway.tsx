import type { CapacityRun } from '@sallyport/contract/resources/monitor/capacity.ts'
import { SquareIcon } from 'lucide-react'
import { Button } from '../../../design/Button.tsx'
import { Progress } from '../../../design/Progress.tsx'
import { t } from '../../../lib/i18n.ts'
import styles from './capacity.module.css'
import { useStop } from './use-capacity.ts'

/** How far the measurement is, and how to end it. */
export function Underway({ run: { state, done, total, node_name, asked_by } }: { run: CapacityRun }) {
  const stop = useStop()
  return (
    <section className={`panel ${styles.underway}`} aria-label={t('Measurement')} role="status">
      <div>
        <strong>{t('{{node}} measures itself', { node: node_name })}</strong>{' '}
        <small className="quiet">
          {state === 'waiting' || !total
            ? t('It begins.')
            : t('Step {{done}} of {{total}}, asked for by {{person}}', { done, total, person: asked_by })}
        </small>
      </div>
      <Progress percent={total ? (done / total) * 100 : undefined} aria-label={t('Progress')} />
      <Button icon={<SquareIcon />} loading={stop.isPending} onClick={() => stop.mutate()}>
        {t('Stop')}
      </Button>
    </section>
  )
}
