import type { CommandRule } from '../../domains/command-filters/index.ts'
import { DENY } from './rule-set.ts'

/** A rule whose expression is its content, and which denies. */
export const rule = (id: string, pattern: string, more: Partial<CommandRule> = {}): CommandRule => ({
  id,
  filter: 'f',
  filter_name: 'filter',
  content: pattern,
  pattern,
  ignore_case: false,
  action: DENY,
  priority: 50,
  ...more,
})
