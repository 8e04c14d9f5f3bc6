import type { Field, Fields } from '@sallyport/contract/define.ts'
import type { OperateLogChange } from '@sallyport/contract/resources/audits/operate-log.ts'
import type { Call } from '../../kernel/access/call.ts'
import type { FieldChange, LoggedValue } from '../../kernel/audit/audit.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import { formatDateTime } from '../../kernel/resource/datetime.ts'

type Reader = Pick<Call, 'language' | 'timeZone'>

/**
 * A change as it is read: labels of fields and choices in the reader's language, times in their
 * zone. The values of a field that does not exist any more are shown as they were kept.
 * @param fields those of the changed object; undefined where it is not known any more
 */
export function shownChange(fields: Fields | undefined, change: FieldChange, reader: Reader): OperateLogChange {
  const { field: name, before, after, added = [], removed = [] } = change
  const path = fieldsAlong(fields, name)
  const field = path.at(-1)
  return {
    field: name,
    label: labelsOf(change, path)
      .map((label) => translate(reader.language, label))
      .join(' · '),
    before: shown(before, field, reader),
    after: shown(after, field, reader),
    added: added.map((one) => worded(one, field, reader)),
    added_amount: change.added_amount ?? added.length,
    removed: removed.map((one) => worded(one, field, reader)),
    removed_amount: change.removed_amount ?? removed.length,
    is_secret: change.is_secret ?? false,
    is_cut: change.is_cut ?? false,
  }
}

/** The name of an unknown field. */
const labelsOf = ({ field, label }: FieldChange, path: readonly Field[]): string[] =>
  path.length ? path.map((one) => one.label) : [label ?? field]

/** The field of that name, after those that contain it; none when it is unknown. */
function fieldsAlong(fields: Fields = {}, name: string): Field[] {
  const [outer = '', inner] = name.split('.')
  const field = Object.hasOwn(fields, outer) ? fields[outer] : undefined
  if (!field) return []
  if (inner === undefined) return [field]
  const shapes = [field.fields ?? {}, ...Object.values(field.shapes ?? {})]
  const within = shapes.find((shape) => Object.hasOwn(shape, inner))?.[inner]
  return within ? [field, within] : []
}

function shown(value: LoggedValue | undefined, field: Field | undefined, reader: Reader): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return translate(reader.language, value ? 'Yes' : 'No')
  if (typeof value === 'object') return value.map((one) => worded(one, field, reader)).join(', ')
  if (field?.type === 'datetime' && typeof value === 'string') return formatDateTime(new Date(value), reader.timeZone)
  return worded(String(value), field, reader)
}

const worded = (value: string, field: Field | undefined, { language }: Reader) =>
  field?.choices && Object.hasOwn(field.choices, value) ? translate(language, field.choices[value] ?? value) : value
