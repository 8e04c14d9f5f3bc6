import { leadsElsewhere, type SettingField } from '@sallyport/contract/settings/define.ts'
import { ALL_SETTINGS } from '@sallyport/contract/settings/index.ts'
import type { FormFields } from '../../generic/view/form-groups.ts'
import type { Row } from '../../lib/api.ts'
import { msg } from '../../lib/i18n.ts'

const settings: Readonly<Record<string, SettingField>> = ALL_SETTINGS

/**
 * Says at a secret that it has to be entered again, as soon as the form leads it elsewhere than the
 * saved settings do.
 */
export function sayEnteredAgain(groups: readonly FormFields[], saved: Row): FormFields[] {
  return groups.map((group) => ({
    ...group,
    fields: group.fields.map((field) => {
      const recipient = settings[field.name]?.sentTo
      return recipient?.addresses.length
        ? {
            ...field,
            depends: (values) =>
              !values[field.name] && leadsElsewhere(recipient, saved, { ...saved, ...values }) ? { help: AGAIN } : {},
          }
        : field
    }),
  }))
}

const AGAIN = msg('Enter it again: a saved one is only sent to the saved address')
