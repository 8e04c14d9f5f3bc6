import type { CloudProvider } from '@sallyport/contract/resources/cloud/cloud-providers.ts'
import { openAlibaba } from './alibaba.ts'
import { openAws } from './aws.ts'
import { openAzure } from './azure.ts'
import type { OpenCloud } from './cloud.ts'
import { openGoogle } from './google.ts'
import { openHuawei } from './huawei.ts'
import { openHuaweiPrivate } from './huawei-private.ts'
import { openNutanix } from './nutanix.ts'
import { openOpenStack } from './openstack.ts'
import { openQingCloud } from './qingcloud.ts'
import { openTencent } from './tencent.ts'
import { openVmware } from './vmware.ts'

/** How each cloud is read; contract/src/tried.ts says with what it was tried. */
export const CLOUDS: Record<CloudProvider, OpenCloud> = {
  aliyun: openAlibaba,
  qcloud: openTencent,
  huaweicloud: openHuawei,
  aws_international: openAws('aws_international'),
  aws_china: openAws('aws_china'),
  azure: openAzure('azure'),
  azure_international: openAzure('azure_international'),
  gcp: openGoogle,
  vmware: openVmware,
  qingcloud_private: openQingCloud,
  huaweicloud_private: openHuaweiPrivate,
  openstack: openOpenStack,
  nutanix: openNutanix,
}
