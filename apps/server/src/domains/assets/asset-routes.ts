import { gateway } from '@sallyport/contract/resources/assets/gateway.ts'
import { platform } from '@sallyport/contract/resources/assets/platform.ts'
import { eq } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import { contextOf } from '../../kernel/resource/routes.ts'
import { getAsset } from './get-asset.ts'
import { activeGateways, gatewayAnswer, openForComponent } from './networks/gateway.resource.ts'
import { assetsPlatform } from './tables.ts'

/** What components ask about an asset. Gateways' secrets are answered to components alone. */
export function registerAssetRoutes(kernel: Kernel): void {
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/assets/assets/:id/gateways/',
    config: {
      access: ['org_admin', 'component'],
      summary: "Active ssh gateways of an asset's domain",
      rows: gateway,
      answers: 'rows',
    },
    handler: async (request) => {
      const asset = await getAsset(kernel, request, (request.params as { id: string }).id)
      const context = contextOf(kernel, request)
      const gateways = await activeGateways(context, asset.domain)
      const open = await openForComponent(context, gateways)
      return gateways.map((gateway) => gatewayAnswer(context, gateway, open))
    },
  })
  kernel.app.route({
    method: 'GET',
    url: '/api/v1/assets/assets/:id/platform/',
    config: { access: ['org_admin', 'component'], summary: 'Platform of an asset', rows: platform, answers: 'row' },
    handler: async (request) => {
      const asset = await getAsset(kernel, request, (request.params as { id: string }).id)
      const [platform] = await kernel.db.select().from(assetsPlatform).where(eq(assetsPlatform.name, asset.platform))
      return platform
    },
  })
}
