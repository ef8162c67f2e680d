import { download } from '@/lib/requests/download';
import { sayFault } from '@/parts/toast';

/** Reads a file of the service, and saves it under a name with the date. */
export async function saveFile(read: () => Promise<{ data: unknown }>, name: string, ending: string): Promise<void> {
  try {
    const { data } = await read();
    download(data as Blob, `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`);
  } catch (fault) {
    sayFault(fault);
  }
}
