import type { PageProps } from '../../app/registry.ts'
import { FormPage } from '../../generic/FormPage.tsx'
import { assetMorePages } from './asset.tsx'

/** Update page of an asset's inventory facts (spec A2.13). */
export function AssetMore({ title }: PageProps) {
  return <FormPage pages={assetMorePages} base="Asset" title={title} mode="update" />
}
