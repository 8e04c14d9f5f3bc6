import { leadsElsewhere, type Recipient } from '@sallyport/contract/settings/define.ts'
import { ALL_SETTINGS, type SettingName, type Settings } from '@sallyport/contract/settings/index.ts'

const recipients = Object.entries(ALL_SETTINGS).flatMap(([name, field]) =>
  'sentTo' in field ? [[name as SettingName, field.sentTo as Recipient] as const] : [],
)

/** The stored secrets whose recipient is taken away: they are for nobody any more. */
export function secretsForNobody(values: Partial<Settings>, before: Settings): SettingName[] {
  return recipients.flatMap(
    ([
      name,
      {
        addresses: [first],
      },
    ]) => (first && before[name] && before[first as SettingName] && values[first as SettingName] === '' ? [name] : []),
  )
}

/**
 * The stored secrets that would go to another place than they were entered for: they have to be
 * entered again. Otherwise a person who changes an address would have them sent there.
 * @param values new values; a secret among them was entered for where they lead
 */
export function secretsToEnterAgain(values: Partial<Settings>, before: Settings): SettingName[] {
  return recipients.flatMap(([name, recipient]) =>
    before[name] && !values[name] && leadsElsewhere(recipient, before, { ...before, ...values }) ? [name] : [],
  )
}

/** The settings that say where a secret goes, and how well the way there is protected. */
export function recipientOf(name: SettingName): readonly SettingName[] {
  const [, recipient] = recipients.find(([secret]) => secret === name) ?? []
  const { addresses = [], encryptedBy = [], uncheckedBy = [] } = recipient ?? {}
  return [...addresses, ...encryptedBy, ...uncheckedBy] as SettingName[]
}
