using System;
using Acme.Store;
namespace Acme.Shop;
/// <summary>What a person wants to buy.</summary>
[Serializable]
public partial class Cart : Store, IEnumerable<string> {
    public const int Limit = 10;
    public int Total { get; private set; }
    public Cart(string owner) : base(owner) { }
    public async Task<bool> AddAsync(string item, int count = 1) {
        for (var i = 0; i < count; i++) { if (Total >= Limit) throw new FullException(); Total++; }
        return await SaveAsync();
    }
    public record Point(int X, int Y);
}
