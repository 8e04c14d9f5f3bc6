import { type Label, label } from '@sallyport/contract/resources/assets/label.ts'
import { countLink } from '../../generic/cells/count-link.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { withQuery } from '../../lib/api.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { addressOf } from '../../navigation/routes.ts'

export const routes = resourcePlaces('Label', {
  menu: 'assets',
  order: 70,
  path: '/assets/labels',
  titles: { List: msg('Labels'), Create: msg('Create label'), Update: msg('Update label') },
})

/** The list of assets, filtered by a label (docs/rules/assets.md#asset). */
const assetsWith = ({ name, value }: Label) => {
  const list = addressOf('AssetList')
  return list && withQuery(list, { label: `${name}:${value}` })
}

export const labelPages = definePages<Label>(label, {
  list: {
    columns: [
      'name',
      { field: 'value', editable: true },
      { field: 'assets', title: msg('Assets@@field'), align: 'right', cell: countLink(assetsWith) },
      'is_active',
      'date_created',
      { field: 'comment', editable: true },
    ],
    defaultColumns: ['name', 'value', 'assets', 'comment'],
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'value'] },
      { title: msg('Assets@@field'), fields: ['assets'] },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
  },
})

export const pages = { Label: labelPages }
