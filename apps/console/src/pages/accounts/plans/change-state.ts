import type { ChangeState } from '@sallyport/contract/resources/accounts/change-auth.ts'
import type { Tone } from '../../../design/Status.tsx'
import { t } from '../../../lib/i18n.ts'

export const TONES: Readonly<Record<ChangeState, Tone>> = {
  waiting: 'quiet',
  running: 'info',
  succeeded: 'good',
  failed: 'danger',
  unknown: 'warning',
  skipped: 'quiet',
}

export const stateWords = (state: ChangeState): string =>
  ({
    waiting: t('Waiting'),
    running: t('Running'),
    succeeded: t('Succeeded'),
    failed: t('Failed'),
    unknown: t('Not known yet'),
    skipped: t('Skipped'),
  })[state]
