import type { MoveState, MoveTask } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import type { Tone } from '../../design/Status.tsx'
import { t } from '../../lib/i18n.ts'

export const TONES: Readonly<Record<MoveState, Tone>> = {
  running: 'info',
  done: 'good',
  stopped: 'quiet',
  failed: 'danger',
}

export function stateWords(state: MoveState): string {
  switch (state) {
    case 'running':
      return t('Goes on')
    case 'done':
      return t('Done')
    case 'stopped':
      return t('Stopped')
    case 'failed':
      return t('Failed')
  }
}

export function taskWords(task: MoveTask): string {
  switch (task) {
    case 'look':
      return t('Look at the database')
    case 'try':
      return t('Try the import')
    case 'import':
      return t('Import')
    case 'prove':
      return t('Compare who reaches what')
    case 'try_take_back':
      return t('Try to take back')
    case 'take_back':
      return t('Take back')
  }
}
