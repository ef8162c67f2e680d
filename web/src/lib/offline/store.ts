import { ownName } from '@/lib/navigation/base';

/** Data that this browser stores in IndexedDB: the paired device, and a copy of the last data that was read. */
const DATABASE = ownName('inbox');
const TABLE = 'kept';

let opened: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error ?? new Error('IndexedDB cannot be opened'));
  }).catch((fault: unknown) => {
    opened = null;
    throw fault;
  });
  return opened;
}

async function run<T>(mode: IDBTransactionMode, act: (table: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  return new Promise<T>((resolve, reject) => {
    const transaction = database.transaction(TABLE, mode, { durability: 'strict' });
    const request = act(transaction.objectStore(TABLE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB refused'));
  });
}

export function readKept<T>(name: string): Promise<T | undefined> {
  return run('readonly', (table) => table.get(name) as IDBRequest<T | undefined>);
}

export async function keep(name: string, value: unknown): Promise<void> {
  await run('readwrite', (table) => table.put(value, name));
}

export async function drop(name: string): Promise<void> {
  await run('readwrite', (table) => table.delete(name));
}
