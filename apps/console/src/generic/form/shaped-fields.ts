/**
 * Objects whose fields follow from another field of the form, such as the attributes of a type: the
 * server describes them for what is chosen.
 */
import { useQueries } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import type { ChildField, FormField, FormFields } from '../view/form-groups.ts'
import type { FormContext, FormValues } from '../view/form-view.ts'
import { metadataQuery, type RemoteField } from '../view/metadata.ts'

/**
 * The groups with each such object as it is under the present values; without fields while nothing
 * is chosen or the server has not answered yet, `isWaiting`. `path` is the list address that
 * describes them.
 */
export function useShapedGroups(
  groups: readonly FormFields[],
  values: FormValues,
  context: FormContext,
  path: string | undefined,
): { groups: readonly FormFields[]; isWaiting: boolean } {
  const shaped = groups.flatMap(({ fields }) => fields.filter(({ shape_by }) => shape_by))
  const described = useQueries({
    queries: shaped.map(({ shape_by = '' }) => {
      const chosen = String(values[shape_by] ?? '')
      return { ...metadataQuery(path ?? '', { [shape_by]: chosen }), enabled: path !== undefined && chosen !== '' }
    }),
  })
  if (shaped.length === 0) return { groups, isWaiting: false }
  const inShape = (field: FormField): FormField => {
    const actions = described[shaped.indexOf(field)]?.data?.actions
    const remote = context.mode === 'create' ? actions?.POST : (actions?.PUT ?? actions?.PATCH)
    const by = field.shape_by ?? ''
    const isStored = context.mode === 'update' && context.row?.[by] === values[by]
    const children = Object.entries(remote?.[field.name]?.children ?? {})
    return {
      ...field,
      children: Object.fromEntries(
        children.map(([name, child]) => [name, { ...asEdited(child, isStored), ...field.inside?.[name] }]),
      ),
    }
  }
  return {
    groups: groups.map((group) => ({
      ...group,
      fields: group.fields.map((field) => (field.shape_by ? inShape(field) : field)),
    })),
    isWaiting: described.some(({ isLoading }) => isLoading),
  }
}

/**
 * A field of the object: its default is in the box, and a secret may stay empty only where one
 * of this choice is stored.
 */
function asEdited(field: RemoteField, isStored: boolean): ChildField {
  if (!field.write_only) return { ...field, initial: field.default }
  return isStored ? { ...field, help_text: t('Leave empty to keep what is stored') } : { ...field, unstored: true }
}
