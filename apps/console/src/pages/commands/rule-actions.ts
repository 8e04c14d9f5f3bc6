import type { Tone } from '../../design/Status.tsx'

/** How each action of a rule looks (docs/rules/assets.md#command_filter_rule). */
export const ACTION_TONES: Readonly<Record<number, Tone>> = { 0: 'danger', 2: 'warning', 9: 'good' }
