import { LazyFormPage } from '../../generic/form/lazy-form.ts'
import { msg } from '../../lib/i18n.ts'
import { places } from '../../navigation/page-place.ts'
import type { PageProps } from '../page-props.ts'
import { assetMorePages } from './asset.page.tsx'

export const routes = places({
  name: 'AssetMoreInformationEdit',
  menu: 'assets',
  order: 20,
  title: msg('More details'),
  path: '/assets/assets/detail/:id/update',
  hidden: true,
  active: '/assets/assets',
})

/** Update page of an asset's inventory facts (A2.13). */
export function AssetMore({ title }: PageProps) {
  return <LazyFormPage pages={assetMorePages} base="Asset" title={title} mode="update" />
}

export const pages = { AssetMoreInformationEdit: AssetMore }
