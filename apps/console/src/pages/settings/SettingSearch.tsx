import { SETTINGS_PATH } from '@sallyport/contract/settings/define.ts'
import { useNavigate } from 'react-router'
import type { Tab } from '../../generic/detail/tab.ts'
import { FindBox, type Finding, type Findings } from '../../generic/find/FindBox.tsx'
import { metadataQuery, type RemoteField } from '../../generic/view/metadata.ts'
import { withQuery } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { queryClient } from '../../lib/query.ts'
import { mayLeave } from '../../navigation/unsaved.ts'
import { DIALOGS, type SettingDialog } from './setting-dialogs.ts'
import { type SettingForm, shownGroups } from './setting-form.ts'

const MAX_FOUND = 12

interface SettingSearchProps {
  tabs: readonly (Tab & { form?: SettingForm })[]
}

/** A setting where it stands: its tab, and the field there, or the button of the dialog that has it. */
interface Place {
  tab: Tab
  field: string
  /** Title of the dialog. */
  dialog?: string
  remote: RemoteField
}

/** Finds a setting by its words on all tabs and in their dialogs, and leads to it. */
export function SettingSearch({ tabs }: SettingSearchProps) {
  const navigate = useNavigate()
  const find = async (typed: string): Promise<Findings> => {
    const words = typed.toLowerCase().split(/\s+/)
    const places = (await Promise.all(tabs.map(placesOn))).flat()
    const matching = places.filter(({ remote: { label, help_text = '' } }) => {
      const text = `${label} ${help_text}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    // A match in the name comes before one in the text.
    const isNamed = ({ remote }: Place) => words.every((word) => remote.label.toLowerCase().includes(word))
    const found = matching.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one))).map(asFinding)
    return { found: found.slice(0, MAX_FOUND), more: Math.max(0, found.length - MAX_FOUND) }
  }
  const open = async (finding: Finding) => {
    if (!(await mayLeave())) return
    const [tab = '', field = ''] = finding.kind?.split('#') ?? []
    await navigate({ search: `?activeTab=${tab}`, hash: field })
  }
  return (
    <FindBox label={t('Find a setting')} name={SETTINGS_PATH} find={find} onChoose={(finding) => void open(finding)} />
  )
}

const asFinding = ({ tab, field, dialog, remote }: Place): Finding => ({
  id: `${tab.name} ${field} ${remote.label}`,
  kind: `${tab.name}#${field}`,
  name: remote.label,
  place: dialog ? `${tab.title} / ${dialog}` : tab.title,
})

async function placesOn(tab: SettingSearchProps['tabs'][number]): Promise<Place[]> {
  if (!tab.form) return []
  const own = await fieldsOf(tab.form)
  const dialogs = shownGroups(tab.form)
    .flatMap(({ fields }) => fields.map((field) => (typeof field === 'string' ? field : field.name)))
    .filter((name): name is SettingDialog => name in DIALOGS)
  const within = await Promise.all(
    dialogs.map(async (name) =>
      (await fieldsOf(DIALOGS[name])).map(({ remote }) => ({
        tab,
        field: name,
        dialog: t(DIALOGS[name].title),
        remote,
      })),
    ),
  )
  return [...own.map((one) => ({ tab, ...one })), ...within.flat()]
}

/** The settings of a form that are shown, with the server's words about them. */
async function fieldsOf(form: SettingForm): Promise<{ field: string; remote: RemoteField }[]> {
  const path = withQuery(SETTINGS_PATH, { category: form.category })
  const { actions } = await queryClient.fetchQuery(metadataQuery(path))
  return shownGroups(form).flatMap(({ fields }) =>
    fields.flatMap((view) => {
      const { name, visibleWhen } = typeof view === 'string' ? { name: view, visibleWhen: undefined } : view
      const remote = actions.PUT?.[name]
      return remote && !visibleWhen ? { field: name, remote } : []
    }),
  )
}
