import { FormPage } from '../../generic/form/FormPage.tsx'
import type { PageProps } from '../registry.ts'
import { assetMorePages } from './asset.tsx'

/** Update page of an asset's inventory facts (spec A2.13). */
export function AssetMore({ title }: PageProps) {
  return <FormPage pages={assetMorePages} base="Asset" title={title} mode="update" />
}
