import { PERMISSION } from '@sallyport/contract/access.ts'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import styles from './moving.module.css'
import { Outcome } from './Outcome.tsx'
import { Runs } from './Runs.tsx'
import { SourceForm } from './SourceForm.tsx'
import { TakeBack } from './TakeBack.tsx'
import { Underway } from './Underway.tsx'
import { useMoves } from './use-move.ts'

export const routes = places({
  name: 'MoveIn',
  menu: 'xpack',
  order: 30,
  title: msg('Move from JumpServer'),
  path: '/xpack/move-in',
  bits: PERMISSION.super,
})

/** The way from JumpServer to here: look, try, import, compare, and back. */
export function MoveIn({ title }: PageProps) {
  const moves = useMoves()
  const report = moves.data
  return (
    <PageFrame
      title={title}
      lead={t(
        'Look at their database, try the import, then import as often as you like until the day of the move. JumpServer is only read. Recordings come by the command.',
      )}
    >
      {report ? (
        <div className={styles.moving}>
          {report.current && <Underway run={report.current} />}
          {report.latest && <Outcome latest={report.latest} />}
          <SourceForm report={report} />
          {report.installations.length > 0 && <TakeBack report={report} />}
          {report.runs.length > 0 && <Runs report={report} />}
        </div>
      ) : moves.error ? (
        <LoadFailed error={moves.error} onRetry={() => void moves.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </PageFrame>
  )
}

export const pages = { MoveIn }
