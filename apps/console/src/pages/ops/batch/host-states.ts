import type { HostState } from '@sallyport/contract/resources/ops/command-execution.ts'
import type { Tone } from '../../../design/Status.tsx'
import { t } from '../../../lib/i18n.ts'

/** In the order in which they are counted. */
export const TONES: Readonly<Record<HostState, Tone>> = {
  waiting: 'quiet',
  held: 'warning',
  running: 'info',
  success: 'good',
  failed: 'danger',
  skipped: 'warning',
}

export const stateWords = (state: HostState): string =>
  ({
    waiting: t('Waiting'),
    held: t('Awaiting confirmation'),
    running: t('Running'),
    success: t('Succeeded'),
    failed: t('Failed'),
    skipped: t('Skipped'),
  })[state]
