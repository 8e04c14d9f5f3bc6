import type { SettingCategory, SettingName } from '@sallyport/contract/settings/index.ts'
import { TRIED, type Trial } from '@sallyport/contract/tried.ts'
import { SETTINGS_WITHOUT_EFFECT } from '@sallyport/contract/without-effect.ts'
import type { FormFieldView, FormGroup, FormValues } from '../../generic/view/form-view.ts'
import { untriedHelp } from '../../lib/tried.ts'
import { MEASURES } from './units.ts'

/** A tab or a dialog of settings: what is in it and how it is sent. */
export interface SettingForm {
  category: SettingCategory
  groups: readonly FormGroup[]
  /** PATCH when absent. */
  method?: 'PUT' | 'PATCH'
  /**
   * Pages hold public settings from their start: they are loaded again when some may have changed.
   */
  reload?: boolean
  toBody?: (values: FormValues) => FormValues
  /** Call that tries what the form shows; a button beside Submit makes it, and says how that went. */
  testing?: string
}

/** Its groups as people see them: settings that nothing acts on are kept, and not shown. */
export function shownGroups({ category, groups }: SettingForm): readonly FormGroup[] {
  const services: Partial<Record<SettingCategory, Trial>> = TRIED.services
  const lead = untriedHelp(services[category])
  return groups.map((group, index) => ({
    ...group,
    ...(lead && index === 0 ? { lead } : {}),
    fields: group.fields.map(asShown),
  }))
}

function asShown(field: FormGroup['fields'][number]): FormFieldView {
  const view = typeof field === 'string' ? { name: field } : field
  // Sent all the same: a PUT must have it.
  if (view.name in SETTINGS_WITHOUT_EFFECT) return { ...view, visibleWhen: () => false, keepHidden: true }
  return { ...view, ...MEASURES[view.name as SettingName] }
}

/** Null means nothing was chosen: such settings stay as they are. */
export const withoutNull = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
