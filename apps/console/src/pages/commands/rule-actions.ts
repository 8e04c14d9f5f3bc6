import type { Tone } from '../../design/Status.tsx'

/** How each action of a rule looks (contract/assets.yaml command_filter_rule `action`). */
export const ACTION_TONES: Readonly<Record<number, Tone>> = { 0: 'danger', 2: 'warning', 9: 'good' }
