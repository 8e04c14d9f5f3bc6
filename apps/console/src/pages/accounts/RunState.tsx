import { Status } from '../../design/Status.tsx'
import { t } from '../../lib/i18n.ts'

/** How it stands with a run of a plan. */
export function RunState({ isOver, isGood }: { isOver: boolean; isGood: boolean }) {
  if (!isOver) return <Status tone="quiet">{t('Running')}</Status>
  return <Status tone={isGood ? 'good' : 'danger'}>{isGood ? t('Success') : t('Failed')}</Status>
}
