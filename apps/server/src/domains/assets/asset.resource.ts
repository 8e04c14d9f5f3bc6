import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ReadContext, StoredRow } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { countedRows } from '../../kernel/row-counts.ts'
import { assetAccounts } from './asset-accounts.ts'
import { assetFilters } from './asset-filters.ts'
import { addQueryNode, bareAddresses, checkProtocols, placeInNodes } from './asset-rules.ts'
import { assetsAsset, assetsAssetNode, assetsLabelAsset } from './tables.ts'

/** Machines (docs/rules/assets.md#asset). */
export default function mountAsset(kernel: Kernel): void {
  mountResource(kernel, asset, {
    table: assetsAsset,
    relations: {
      nodes: { table: assetsAssetNode, owner: assetsAssetNode.asset_id, target: assetsAssetNode.node_id },
      labels: { table: assetsLabelAsset, owner: assetsLabelAsset.asset_id, target: assetsLabelAsset.label_id },
    },
    filters: assetFilters,
    computed: [{ fields: ['cpu_info', 'hardware_info'], load: describeHardware }],
    keepOnPut: ['protocols'],
    storedInBatches: true,
    rules: {
      beforeWrite: [
        bareAddresses,
        checkProtocols,
        (context) => assetAccounts.value.checkAdminUser(context),
        placeInNodes,
        addQueryNode,
      ],
      afterWrite: [(context) => assetAccounts.value.saved(context)],
    },
    // The key is left out for assets without a domain (docs/rules/assets.md#asset).
    present(row) {
      return row.domain === null ? { ...row, domain_display: undefined } : row
    },
    count: async (context: ReadContext, isNarrowed) => (isNarrowed ? undefined : countedRows(context, assetsAsset)),
  })
}

async function describeHardware(rows: readonly StoredRow<typeof assetsAsset>[]): Promise<Record<string, unknown>[]> {
  return rows.map(({ cpu_model, cpu_count, cpu_cores, cpu_vcpus, memory, disk_total }) => {
    const known = Boolean(cpu_count && cpu_cores)
    const cores = cpu_vcpus || Number(cpu_count) * Number(cpu_cores ?? 1)
    return {
      cpu_info: [cpu_model, known ? `${cpu_count}*${cpu_cores}` : ''].filter(Boolean).join(' '),
      hardware_info: cpu_count ? [cores, 'Core', memory, disk_total].filter(Boolean).join(' ') : '',
    }
  })
}
